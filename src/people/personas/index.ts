export { type EditedPersonas, PersonaBook, type SavedPersona } from "./persona-book.ts";
export { PersonaFields, PersonaName, PersonaVersion, readPersona } from "./persona-fields.ts";
