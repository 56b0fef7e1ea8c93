package dev.posthaste.examples.docs;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** docker-compose.yml, as far as the tests read it. */
final class ComposeFile {

    private final Map<String, Object> root;

    private ComposeFile(Map<String, Object> root) {
        this.root = root;
    }

    static ComposeFile read() throws IOException {
        return new ComposeFile(
                new Yaml(new SafeConstructor(new LoaderOptions())).load(Repository.read("docker-compose.yml")));
    }

    /** One service; {@link Map} and {@link List} where YAML has them. */
    record Service(String name, Map<String, Object> settings) {

        boolean isBuilt() {
            return settings.containsKey("build");
        }

        /** The Dockerfile's stage. */
        String target() {
            return (String) map(settings.get("build")).get("target");
        }

        String image() {
            return (String) settings.get("image");
        }

        List<String> command() {
            return strings("command");
        }

        List<String> ports() {
            return strings("ports");
        }

        List<String> volumes() {
            return strings("volumes");
        }

        Map<String, String> environment() {
            Map<String, String> environment = new TreeMap<>();
            map(settings.get("environment")).forEach((name, value) -> environment.put(name, String.valueOf(value)));
            return environment;
        }

        /** The condition, by service waited for. */
        Map<String, String> dependsOn() {
            Map<String, String> conditions = new TreeMap<>();
            map(settings.get("depends_on"))
                    .forEach((service, how) -> conditions.put(service, (String) map(how).get("condition")));
            return conditions;
        }

        /** Empty where there is none, or it is switched off. */
        List<String> healthCheck() {
            Object test = map(settings.get("healthcheck")).get("test");
            return test == null ? List.of() : list(test);
        }

        private List<String> strings(String key) {
            Object value = settings.get(key);
            return value == null ? List.of() : list(value);
        }

        /** The value of {@code --name=value}. */
        String option(String name) {
            return command().stream()
                    .filter(word -> word.startsWith("--" + name + "="))
                    .map(word -> word.substring(name.length() + 3))
                    .findFirst()
                    .orElseThrow();
        }
    }

    List<Service> services() {
        return map(root.get("services")).entrySet().stream()
                .map(entry -> new Service(entry.getKey(), map(entry.getValue())))
                .toList();
    }

    Service service(String name) {
        return services().stream()
                .filter(service -> service.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    Set<String> namedVolumes() {
        return map(root.get("volumes")).keySet();
    }

    @SuppressWarnings("unchecked") // YAML's maps have strings as keys here
    private static Map<String, Object> map(Object value) {
        return value == null ? Map.of() : (Map<String, Object>) value;
    }

    private static List<String> list(Object value) {
        return ((List<?>) value).stream().map(String::valueOf).toList();
    }
}
