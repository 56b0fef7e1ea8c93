package dev.posthaste.relay.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

import picocli.CommandLine.IVersionProvider;

/** The version, as the build wrote it. */
final class Version implements IVersionProvider {

    static String text() throws IOException {
        Properties properties = new Properties();
        try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
            properties.load(in);
        }
        return "posthaste " + properties.getProperty("version") + ", debezium " + properties.getProperty("debezium")
                + ", kafka " + properties.getProperty("kafka") + ", java " + Runtime.version();
    }

    @Override
    public String[] getVersion() throws IOException {
        return new String[] {text()};
    }
}
