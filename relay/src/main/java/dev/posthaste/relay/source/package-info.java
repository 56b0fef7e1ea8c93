/**
 * Where messages come from: the write-ahead log, read by an embedded Debezium engine. The rest of the relay sees only
 * {@link dev.posthaste.relay.source.WalSource}: transaction begins, outbox row, transaction ended, acknowledge up to
 * here. Debezium and Connect types never leave this package.
 */
@NullMarked
package dev.posthaste.relay.source;

import org.jspecify.annotations.NullMarked;
