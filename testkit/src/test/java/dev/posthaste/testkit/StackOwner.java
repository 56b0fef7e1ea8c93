package dev.posthaste.testkit;

import java.util.concurrent.CountDownLatch;

/** Starts both servers, prints PostgreSQL's process id and waits to be ended. */
final class StackOwner {

    private StackOwner() {}

    public static void main(String[] args) throws InterruptedException {
        EmbeddedKafka kafka = EmbeddedKafka.launch();
        EmbeddedPostgres postgres = EmbeddedPostgres.launch();
        System.out.println(postgres.pid());
        new CountDownLatch(1).await();
        kafka.close();
        postgres.close();
    }
}
