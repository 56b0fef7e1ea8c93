package dev.posthaste.chaos.world;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.posthaste.chaos.load.ChaosCatalog;

/**
 * What a scenario begins with. Immutable.
 *
 * @param seed of everything random
 * @param relays how many of one identity
 * @param consumers how many members
 * @param handlers by name, in the order of {@link ChaosCatalog#HANDLERS}; the catalog has no others
 * @param load what is written
 * @param failShare the share of attempts at which a handler fails, from 0 to 1
 * @param relayEnvironment further variables of every relay
 * @param smallDisks whether the disks of the outbox and of the broker can be filled
 * @param patches directories whose classes come before the product's own, in relays and consumers
 */
public record Setup(
        long seed,
        int relays,
        int consumers,
        List<String> handlers,
        Load load,
        double failShare,
        Map<String, String> relayEnvironment,
        boolean smallDisks,
        List<Path> patches) {

    /** Copies the collections. */
    public Setup {
        handlers = List.copyOf(handlers);
        relayEnvironment = Map.copyOf(relayEnvironment);
        patches = List.copyOf(patches);
    }

    /**
     * What the load generator writes.
     *
     * @param rate messages a second
     * @param keys how many keys there are
     * @param refusedShare the share of messages that no handler can be given
     * @param largeShare the share of messages with payloads of megabytes
     * @param huge messages of one further transaction; 0 for none
     */
    public record Load(int rate, int keys, double refusedShare, double largeShare, int huge) {

        Load and(Load other) {
            return new Load(
                    Math.max(rate, other.rate),
                    Math.max(keys, other.keys),
                    Math.max(refusedShare, other.refusedShare),
                    Math.max(largeShare, other.largeShare),
                    Math.max(huge, other.huge));
        }
    }

    /** One relay, two consumers, 150 messages a second of 100 keys, few failures. */
    public static Setup usual() {
        return new Setup(
                1, 1, 2, ChaosCatalog.HANDLERS, new Load(150, 100, 0, 0, 0), 0.002, Map.of(), false, List.of());
    }

    /** With another seed. */
    public Setup withSeed(long newSeed) {
        return new Setup(newSeed, relays, consumers, handlers, load, failShare, relayEnvironment, smallDisks, patches);
    }

    /** With so many relays. */
    public Setup withRelays(int count) {
        return new Setup(seed, count, consumers, handlers, load, failShare, relayEnvironment, smallDisks, patches);
    }

    /** With so many consumers. */
    public Setup withConsumers(int count) {
        return new Setup(seed, relays, count, handlers, load, failShare, relayEnvironment, smallDisks, patches);
    }

    /** With some of the handlers only. */
    public Setup withHandlers(String... names) {
        List<String> some = List.of(names);
        return new Setup(seed, relays, consumers, some, load, failShare, relayEnvironment, smallDisks, patches);
    }

    /** With another load. */
    public Setup withLoad(Load other) {
        return new Setup(seed, relays, consumers, handlers, other, failShare, relayEnvironment, smallDisks, patches);
    }

    /** With handlers that fail more often, or less. */
    public Setup withFailShare(double share) {
        return new Setup(seed, relays, consumers, handlers, load, share, relayEnvironment, smallDisks, patches);
    }

    /** With a further variable of every relay. */
    public Setup withRelayVariable(String name, String value) {
        Map<String, String> variables = new HashMap<>(relayEnvironment);
        variables.put(name, value);
        return new Setup(seed, relays, consumers, handlers, load, failShare, variables, smallDisks, patches);
    }

    /** With disks that can be filled, or not. */
    public Setup withSmallDisks(boolean small) {
        return new Setup(seed, relays, consumers, handlers, load, failShare, relayEnvironment, small, patches);
    }

    /** What two scenarios want, in one run: the more of each. */
    public Setup and(Setup other) {
        Map<String, String> variables = new HashMap<>(relayEnvironment);
        variables.putAll(other.relayEnvironment);
        List<Path> classes = new ArrayList<>(patches);
        classes.addAll(other.patches);
        return new Setup(
                seed,
                Math.max(relays, other.relays),
                Math.max(consumers, other.consumers),
                ChaosCatalog.HANDLERS.stream()
                        .filter(handler -> handlers.contains(handler) || other.handlers.contains(handler))
                        .toList(),
                load.and(other.load),
                Math.max(failShare, other.failShare),
                variables,
                smallDisks || other.smallDisks,
                classes);
    }

    /** With classes that come before the product's own. */
    public Setup withPatches(List<Path> directories) {
        return new Setup(seed, relays, consumers, handlers, load, failShare, relayEnvironment, smallDisks, directories);
    }
}
