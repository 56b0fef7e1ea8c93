package dev.posthaste.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says which reported case a test is there for: something that went wrong for people who run systems of this kind. The
 * page {@code docs/cases.md} lists the cases with their tests.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface ReportedCase {

    /** The numbers of the cases. */
    int[] value();
}
