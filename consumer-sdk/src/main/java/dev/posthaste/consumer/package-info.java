/**
 * Handlers with effect once. Describe each with {@link dev.posthaste.consumer.Handler#handler(String)}, run them with a
 * {@link dev.posthaste.consumer.PosthasteConsumer}.
 *
 * <p>A handler writes its effect on the transaction that it is given, and nowhere else. Should that be rolled back, by
 * whatever, nothing of the effect stays and the message comes again; once it is committed, the message is completed and
 * never runs again.
 *
 * <pre>{@code
 * record LoanBorrowed(UUID loanId, String member, LocalDate dueOn) {}
 *
 * Handler dueNotice = Handler.handler("due-notice")
 *         .retry(new RetryPolicy(4, ofSeconds(1), ofMinutes(1), ofHours(1))) // the first attempt and three retries
 *         .permanent(DateTimeException.class) // a dead letter at once
 *         .on("library.loan-borrowed", 1, LoanBorrowed.class)
 *         .decide((event, tx) -> {
 *             if (!isMember(tx.connection(), event.payload().member())) {
 *                 return Outcome.dead("unknown-member", "nobody of that name is a member here");
 *             }
 *             insertNotice(tx.connection(), event.payload()); // an exception from here is tried again
 *             return Outcome.done();
 *         });
 *
 * PosthasteConsumer consumer = PosthasteConsumer.builder()
 *         .namespace("library")
 *         .bootstrapServers("kafka:9092")
 *         .dataSource(pool) // the database with the effects, and the inbox beside them
 *         .catalog(CatalogReader.read(Path.of("catalog"))) // has handlers/due-notice.yaml
 *         .meters(registry)
 *         .handler(dueNotice)
 *         .build();
 * consumer.start();
 * }</pre>
 *
 * <p><b>Failure.</b> A failed message is put aside with its record, the partition goes on, and it is tried again when
 * its random delay is over: {@link dev.posthaste.consumer.RetryPolicy}. Where another attempt would not help, say so:
 * {@link dev.posthaste.consumer.Handler#permanent} for exceptions, {@link dev.posthaste.consumer.Outcome#dead} for your
 * own findings. At the end of its attempts the message is a <b>dead letter</b>: state {@code dead-letter} in the table
 * {@code inbox.delivery}, every attempt with its cause in {@code inbox.journal}, the record with its bytes on the topic
 * {@code <namespace>.<handler>.dlt}.
 *
 * <p>Database and topics are made by {@code posthaste init}; policy, order and versions stand in the handler's catalog
 * record, which code may narrow and not contradict.
 */
@NullMarked
package dev.posthaste.consumer;

import org.jspecify.annotations.NullMarked;
