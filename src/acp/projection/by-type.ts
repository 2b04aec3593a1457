/** The members of a union that have this type name; one member may have several. */
export type MemberOf<Union, Name> = Union extends { readonly type: infer Names }
  ? Name extends Names
    ? Union
    : never
  : never;

/** A record with one function for each type name of a union: a new member breaks the build until it has one. */
export type ByType<Union extends { readonly type: string }, Rest extends readonly unknown[], Result> = {
  readonly [Name in Union["type"]]: (member: MemberOf<Union, Name>, ...rest: Rest) => Result;
};

/** Calls the function that a record has for this member. */
export function callByType<Union extends { readonly type: string }, Rest extends readonly unknown[], Result>(
  functions: ByType<Union, Rest, Result>,
  member: Union,
  ...rest: Rest
): Result {
  const name: Union["type"] = member.type;
  // The record's type promises that the function under a name takes every member of that name.
  const run = functions[name] as (member: Union, ...rest: Rest) => Result;
  return run(member, ...rest);
}
