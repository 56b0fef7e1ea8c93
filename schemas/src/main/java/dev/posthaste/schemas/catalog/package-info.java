/**
 * The catalog: which message types exist, who handles them and how; read from a directory of YAML and checked before
 * use.
 */
@NullMarked
package dev.posthaste.schemas.catalog;

import org.jspecify.annotations.NullMarked;
