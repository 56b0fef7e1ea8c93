package dev.posthaste.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import dev.posthaste.chaos.check.Invariant;
import dev.posthaste.chaos.cli.Catalogue;
import dev.posthaste.chaos.example.RestartedTogether;
import dev.posthaste.chaos.scenario.BuiltInScenarios;
import dev.posthaste.chaos.scenario.Scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Scenarios and pages tell the same. */
class PagesTest {

    private static final Path PROMISES = Path.of("..", "docs", "PROMISES.md");
    private static final Path EXAMPLE =
            Path.of("src", "test", "java", "dev", "posthaste", "chaos", "example", "RestartedTogether.java");
    private static final Pattern CHAOS_LINE = Pattern.compile("(?m)^\\*Chaos:\\* .*(?:\\n(?!\\n|\\*).+)*");
    private static final Pattern QUOTED = Pattern.compile("`([a-z0-9-]+)`");
    private static final int LINES_OF_A_SCENARIO_MAX = 50;

    private static List<String> builtIn() {
        return new BuiltInScenarios().scenarios().stream().map(Scenario::name).toList();
    }

    @Test
    void everyScenarioIsLinkedFromAPromiseAndNoOtherIs() throws IOException {
        List<String> named = CHAOS_LINE
                .matcher(Files.readString(PROMISES))
                .results()
                .flatMap(line -> QUOTED.matcher(line.group()).results())
                .map((MatchResult name) -> name.group(1))
                .distinct()
                .toList();

        assertThat(named).containsExactlyInAnyOrderElementsOf(builtIn());
    }

    @Test
    void namesAreOneEachAndEveryScenarioSaysWhatItShows() {
        assertThat(builtIn()).doesNotHaveDuplicates().allMatch(name -> name.matches("[a-z0-9]+(-[a-z0-9]+)*"));
        assertThat(new BuiltInScenarios().scenarios())
                .allSatisfy(scenario -> assertThat(scenario.promise()).hasSizeGreaterThan(10));
        assertThat(new BuiltInScenarios().scenarios())
                .filteredOn(scenario -> scenario.tier() == Scenario.Tier.SHORT)
                .hasSizeBetween(3, 8);
    }

    @Test
    void aScenarioOfSomebodyElseIsFoundAndFitsInFiftyLines() throws IOException {
        String name = new RestartedTogether().scenarios().get(0).name();

        assertThat(Catalogue.named(name).name()).isEqualTo(name);
        assertThat(Files.readAllLines(EXAMPLE)).hasSizeLessThan(LINES_OF_A_SCENARIO_MAX);
        assertThat(Files.readString(Path.of("README.md"))).contains(Files.readString(EXAMPLE));
    }

    @Test
    void aPairIsNamedByBothAndIsGivenWhatEitherNeeds() {
        Scenario pair = Catalogue.named("huge-transaction+relay-frozen-beyond-its-lease");
        Scenario huge = Catalogue.named("huge-transaction");

        assertThat(pair.setup().relays()).isEqualTo(2);
        assertThat(pair.setup().load().huge()).isEqualTo(huge.setup().load().huge());
        assertThat(pair.bounds()).isEqualTo(huge.bounds());
        assertThatThrownBy(() -> Catalogue.named("broker-killed+slot-dropped"))
                .hasMessageContainingAll("slot-dropped", "halt");
    }

    @Test
    void everyInvariantIsASentence() {
        assertThat(Arrays.stream(Invariant.values()).map(Invariant::sentence)).allMatch(text -> text.endsWith("."));
    }
}
