interface Typed {
  readonly type: string;
}

/** The member of a union that has a type, also one of several types. */
export type MemberOf<Union extends Typed, Type extends string> = Union extends { readonly type: infer Own }
  ? Type extends Own
    ? Union & { readonly type: Type }
    : never
  : never;

/** A record with one function for each type of a union: a new type breaks the build until it has one. */
export type ByType<Union extends Typed, Context, Result> = {
  readonly [Type in Union["type"]]: (member: MemberOf<Union, Type>, context: Context) => Result;
};

/** Calls the function that a record has for the type of this member. */
export function callByType<Union extends Typed, Context, Result>(
  functions: ByType<Union, Context, Result>,
  member: Union,
  context: Context,
): Result {
  // The record has each function under the type of its own members.
  const run = functions[member.type as Union["type"]] as unknown as (
    member: Union,
    context: Context,
  ) => Result;
  return run(member, context);
}
