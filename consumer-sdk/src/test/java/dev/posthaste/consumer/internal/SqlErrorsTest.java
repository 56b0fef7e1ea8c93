package dev.posthaste.consumer.internal;

import java.sql.SQLException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class SqlErrorsTest {

    @ParameterizedTest
    @ValueSource(strings = {"22021", "23505", "24000", "54000", "54001"})
    void whatTheDatabaseRefusesHoweverOftenItIsTriedIsNoOutage(String state) {
        assertThat(SqlErrors.isRefusal(new IllegalStateException(new SQLException("refused", state))))
                .isTrue();
    }

    @Test
    void aLostConnectionIsNoRefusal() {
        assertThat(SqlErrors.isRefusal(new SQLException("gone", "08006"))).isFalse();
        assertThat(SqlErrors.isRefusal(new SQLException("no state"))).isFalse();
    }
}
