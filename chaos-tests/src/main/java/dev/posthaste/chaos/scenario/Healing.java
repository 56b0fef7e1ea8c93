package dev.posthaste.chaos.scenario;

import java.io.IOException;

import dev.posthaste.chaos.world.OwnNetwork;
import dev.posthaste.chaos.world.ProcessNode;
import dev.posthaste.chaos.world.RelayNode;
import dev.posthaste.chaos.world.World;
import dev.posthaste.testkit.EmbeddedPostgres;
import dev.posthaste.testkit.faults.StoreLink;

/** Mends whatever a script has left broken: servers first, then links, then processes. */
final class Healing {

    private final World world;

    Healing(World world) {
        this.world = world;
    }

    void run() throws IOException {
        startAgain(world.servers().outbox());
        startAgain(world.servers().inbox());
        if (!world.servers().broker().isAlive()) {
            world.servers().broker().startAgain();
        }
        world.servers().broker().thaw();
        world.links().forEach(StoreLink::heal);
        for (RelayNode relay : world.relays()) {
            OwnNetwork network = relay.network();
            if (network != null && relay.isAlive()) {
                network.plug();
            }
        }
        world.provider().heal();
        world.relays().forEach(Healing::startAgain);
        world.consumers().forEach(Healing::startAgain);
    }

    private static void startAgain(EmbeddedPostgres server) {
        if (!server.isRunning()) {
            server.start();
        }
    }

    private static void startAgain(ProcessNode node) {
        if (node.isAlive()) {
            node.thaw();
        } else {
            node.start();
        }
    }
}
