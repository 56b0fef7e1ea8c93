package dev.posthaste.relay;

import java.io.EOFException;
import java.sql.SQLException;

import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.connect.errors.ConnectException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BlameTest {

    @Test
    void aStoreIsBlamedForWhatItDidAndNoStoreForWhatNoneDid() {
        assertThat(Blame.of(new TimeoutException("no broker"))).isEqualTo(Blame.KAFKA);
        assertThat(Blame.of(new SQLException("refused"))).isEqualTo(Blame.POSTGRESQL);
        assertThat(Blame.of(new IllegalStateException("given out twice"))).isEqualTo(Blame.RELAY);
    }

    @Test
    void whatTheEngineShowsIsBlamedOnWhatItWraps() {
        assertThat(Blame.of(new ConnectException("stopped", new SQLException("terminated"))))
                .isEqualTo(Blame.POSTGRESQL);
        assertThat(Blame.of(new ConnectException("stopped", new EOFException())))
                .isEqualTo(Blame.POSTGRESQL);
        assertThat(Blame.of(new ConnectException("cannot decode"))).isEqualTo(Blame.RELAY);
    }

    @Test
    void theFirstCauseIsSaidInALine() {
        assertThat(Blame.RELAY.says(new RuntimeException("outer", new IllegalStateException("inner\n  Position: 13"))))
                .isEqualTo("RELAY failed: IllegalStateException: inner Position: 13");
    }
}
