/** What is told of a chaos run: one report, as Markdown and as a self-contained page with a picture per scenario. */
@NullMarked
package dev.posthaste.chaos.report;

import org.jspecify.annotations.NullMarked;
