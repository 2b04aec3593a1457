/**
 * Makes a function that gives a value which is made when somebody asks for it the first time, and only then: a start that
 * needs few of many schemas does not wait for all of them.
 */
export function later<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
