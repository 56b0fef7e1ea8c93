package dev.posthaste.examples.library;

import java.time.LocalDate;
import java.util.UUID;

/**
 * The payload of {@code library.loan-borrowed}, version 1.
 *
 * @param loanNumber counts the loans of this copy, from 1
 */
public record LoanBorrowed(UUID loanId, String copyId, String memberId, long loanNumber, LocalDate dueOn) {}
