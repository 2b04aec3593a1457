export { PersonaBook } from "./persona-book.ts";
export { PersonaFields, PersonaName } from "./persona-fields.ts";
