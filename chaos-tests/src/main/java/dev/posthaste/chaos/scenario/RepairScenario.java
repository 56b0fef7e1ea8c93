package dev.posthaste.chaos.scenario;

import java.util.List;

import dev.posthaste.chaos.world.ProcessNode;
import dev.posthaste.chaos.world.RelayNode;
import dev.posthaste.chaos.world.World;

/** A gap is closed by {@code posthaste repair}, which is killed on the way and run again. */
final class RepairScenario {

    Scenario killedDuringRepair() {
        return Scenario.of("repair-killed", "a repair is killed on its way, and the next one ends it", this::run);
    }

    private void run(Chaos chaos) throws Exception {
        RelayNode leader = chaos.leader();
        chaos.kill(leader);
        chaos.await("messages wait", () -> chaos.pending() > 20);
        chaos.await(
                "nobody streams",
                () -> chaos.world().outboxNumber("SELECT count(*) FROM pg_replication_slots WHERE active") == 0);
        chaos.world().servers().sql(World.OUTBOX, "SELECT pg_drop_replication_slot('" + World.SLOT + "')");
        leader.start();
        chaos.await("it halts", () -> "SLOT_MISSING".equals(leader.haltCause()));
        chaos.fired("the slot is dropped", "the relay has halted");
        ProcessNode killed = chaos.world().command("repair-1", List.of("repair"));
        killed.start();
        chaos.await("the repair makes a slot", () -> !killed.isAlive() || slots(chaos) > 0);
        chaos.fault("SIGKILL to a repair", killed.isAlive(), "it had made " + slots(chaos) + " slots");
        killed.close();
        for (int i = 2; !leader.isStreaming() && i < 6; i++) {
            ProcessNode repair = chaos.world().command("repair-" + i, List.of("repair"));
            repair.start();
            chaos.await("the repair ends", () -> !repair.isAlive());
            chaos.await("the relay looks again", () -> leader.isStreaming() || leader.haltCause() != null);
        }
    }

    private static long slots(Chaos chaos) throws Exception {
        return chaos.world().outboxNumber("SELECT count(*) FROM pg_replication_slots");
    }
}
