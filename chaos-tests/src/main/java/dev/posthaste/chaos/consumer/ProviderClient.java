package dev.posthaste.chaos.consumer;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Calls a {@link Provider}. Thread-safe. */
final class ProviderClient {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT).build();
    private final URI provider;

    ProviderClient(URI provider) {
        this.provider = provider;
    }

    /**
     * Calls it once.
     *
     * @throws IOException when it does not answer with success
     */
    void call(String handler, String idempotencyKey) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(provider.resolve("/" + handler))
                .timeout(TIMEOUT)
                .header(Provider.KEY, idempotencyKey)
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        int status = http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        if (status != Provider.OK) {
            throw new IOException("the provider answered " + status);
        }
    }
}
