package dev.posthaste.relay.cli;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.posthaste.relay.source.DatabaseSettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class DatabaseUrlTest {

    @ParameterizedTest
    @CsvSource({
        "postgresql://relay:secret@db:5433/library,                       relay@db:5433/library",
        "postgres://relay:secret@db/library,                              relay@db:5432/library",
        "jdbc:postgresql://db:5433/library?user=relay&password=secret,    relay@db:5433/library",
        "postgresql://relay@db/library?password=secret&sslmode=prefer,    relay@db:5432/library",
        "postgresql://relay:secret@outbox_db/library,                     relay@outbox_db:5432/library",
        "postgresql://relay:secret@127.0.0.1:1/library,                   relay@127.0.0.1:1/library",
        "postgresql://relay:secret@[::1]:5433/library,                    relay@[::1]:5433/library",
        "postgresql://relay:secret@db/library?,                           relay@db:5432/library",
    })
    void allFormsOfAUrlAreRead(String url, String expected) {
        DatabaseSettings settings = DatabaseUrl.parse(url, null, null);

        assertThat(settings).hasToString(expected);
        assertThat(settings.password()).isEqualTo("secret");
        assertThat(settings.sslMode()).isEqualTo("prefer");
    }

    @Test
    void theDriverUnderstandsAnIpv6Address() {
        DatabaseSettings settings = DatabaseUrl.parse("postgresql://relay@[::1]:5433/library", null, null);

        assertThat(settings.dataSource("test").getURL()).startsWith("jdbc:postgresql://[::1]:5433/library");
    }

    @Test
    void specialCharactersAreWrittenWithPercentSigns() {
        DatabaseSettings settings =
                DatabaseUrl.parse("postgresql://re%40lay:a%2Fb%3Fc%40d+e%25@db/my%20library", null, null);

        assertThat(settings.user()).isEqualTo("re@lay");
        assertThat(settings.password()).isEqualTo("a/b?c@d+e%");
        assertThat(settings.name()).isEqualTo("my library");
    }

    @Test
    void userAndPasswordMayStandInSettingsOfTheirOwn() {
        DatabaseSettings settings =
                DatabaseUrl.parse("postgresql://db/library?sslmode=verify-full", "relay", "p@ss:word/?");

        assertThat(settings.user()).isEqualTo("relay");
        assertThat(settings.password()).isEqualTo("p@ss:word/?");
        assertThat(settings.sslMode()).isEqualTo("verify-full");
        assertThat(DatabaseUrl.parse("postgresql://relay@db/library", null, "").password())
                .isNull();
    }

    @Test
    void twoUsersOrPasswordsThatDifferAreRefusedWithoutShowingThem() {
        assertThatThrownBy(() -> DatabaseUrl.parse("postgresql://relay:secret-1@db/library", null, "secret-2"))
                .isInstanceOf(UsageException.class)
                .hasMessage("the password in database.url and database.password differ, or the URL has two; keep one");
        assertThatThrownBy(() -> DatabaseUrl.parse("postgresql://relay@db/library", "other", null))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("database.user differ");
        assertThat(DatabaseUrl.parse("postgresql://relay@db/library", "relay", "x")
                        .user())
                .isEqualTo("relay");
    }

    @Test
    void aUrlWithoutUserIsRefused() {
        assertThatThrownBy(() -> DatabaseUrl.parse("postgresql://db/library", null, null))
                .isInstanceOf(UsageException.class)
                .hasMessage("database.url names no user; write postgresql://user@host/database, or set database.user");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "library",
                "secret",
                "mysql://relay:secret@db/library",
                "postgresql://relay:secret@db",
                "postgresql://relay:secret@db/",
                "postgresql://relay:sec@ret@db/library",
                "postgresql://relay:sec/ret@db/library",
                "postgresql://relay:sec?ret@db/library",
                "postgresql://relay:secret%zz@db/library",
                "postgresql://relay:secret@db:port/library",
                "postgresql://relay:secret@db:0/library",
                "postgresql://relay:secret@db:65536/library",
                "postgresql://relay:secret@one,two/library",
                "postgresql://relay@db/library?password=sec&ret",
                "postgresql://relay@db/library?password=sec&ret=x",
                "postgresql://relay:secret@db/library?sslmode=secret",
                "postgresql://relay:secret@db/library?connect_timeout=secret",
                "postgresql://relay:secret@db/library?password=other",
            })
    void whatIsNoUrlIsRefusedAndNoPartOfAPasswordIsShown(String url) {
        assertThatThrownBy(() -> DatabaseUrl.parse(url, null, null))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("database.url")
                .message()
                .doesNotContain("secret", "sec&", "ret=", " ret", "sec@", "sec/", "sec?");
    }
}
