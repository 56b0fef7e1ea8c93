/** Holds the documentation and the files beside it against the code. */
package dev.posthaste.examples.docs;
