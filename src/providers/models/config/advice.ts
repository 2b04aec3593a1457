/** The one way out that every message about a missing setting of a model ends with. */
export const OR_SETUP = ", or run `agent setup`.";
