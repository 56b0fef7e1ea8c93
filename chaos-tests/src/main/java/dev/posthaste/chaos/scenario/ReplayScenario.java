package dev.posthaste.chaos.scenario;

import java.util.List;

import dev.posthaste.chaos.consumer.ReplayProcess;
import dev.posthaste.chaos.world.ProcessNode;

/** Dead letters are replayed by a process that is killed on the way; the selection is replayed again. */
final class ReplayScenario {

    /** More than are brought back at once. */
    private static final int LETTERS = 900;

    private static final double POISON = 0.5;
    private static final String HANDLER = "statistics";

    Scenario killedDuringReplay() {
        return Scenario.of(
                "replay-killed", "a replay of dead letters is killed on its way, and replayed again", this::run);
    }

    private void run(Chaos chaos) throws Exception {
        chaos.world().remakeConsumers(POISON);
        chaos.await("there are dead letters", () -> letters(chaos) >= LETTERS);
        chaos.world().remakeConsumers(0);
        ProcessNode killed = chaos.world().onInbox("replay-1", ReplayProcess.class, List.of(HANDLER));
        killed.start();
        chaos.await("some are replayed", () -> replayed(chaos) > 0);
        boolean midway = killed.isAlive();
        killed.close();
        long replayed = replayed(chaos);
        chaos.fault("SIGKILL to a replay", midway && letters(chaos) > 0, replayed + " were replayed when it was gone");
        ProcessNode again = chaos.world().onInbox("replay-2", ReplayProcess.class, List.of());
        again.start();
        chaos.await("the replay ends", () -> !again.isAlive());
        chaos.await("no dead letter is left", () -> letters(chaos) == 0);
    }

    private static long letters(Chaos chaos) throws Exception {
        return chaos.world()
                .inboxNumber("SELECT count(*) FROM inbox.delivery WHERE state = 'dead-letter' AND handler = '" + HANDLER
                        + "'");
    }

    private static long replayed(Chaos chaos) throws Exception {
        return chaos.world().inboxNumber("SELECT count(*) FROM inbox.journal WHERE outcome = 'replayed'");
    }
}
