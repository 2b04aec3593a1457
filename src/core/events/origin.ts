/** The surfaces that can hold a session; toolsets and policies are resolved for one of them. */
export type Platform = "cli" | "tui" | "acp" | "api_server" | "webhook" | "job" | "library";

/** Who sent something: the surface, and the connection or client on it. */
export interface Origin {
  readonly surface: string;
  readonly client?: string;
}
