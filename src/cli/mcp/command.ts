import {
  argument,
  command,
  commandGroup,
  JSON_FLAG,
  negation,
  notEmpty,
  option,
  several,
} from "../command.ts";

/** `agent mcp`: the servers of the configuration. */
export const MCP_COMMAND = commandGroup(
  "mcp",
  "the MCP servers of the configuration: list, test, log in, add, remove",
  [
    command("list", "list the configured servers, without connecting", {
      takes: { json: JSON_FLAG },
      load: async () => (await import("./mcp.ts")).listMcp,
    }),
    command("test", "connect to servers and show what they offer, or why they cannot be used", {
      takes: { names: argument("[name...]", "all by default"), json: JSON_FLAG },
      help: "Exit code 1 when one of them cannot be used.",
      load: async () => (await import("./mcp.ts")).testMcp,
    }),
    command("login", "log in at a server over HTTP, in a browser", {
      takes: { name: argument("<name>"), browser: negation("print the address, and open no browser") },
      help: "The tokens are kept in mcp_logins.json of the home, and renewed by themselves.",
      load: async () => (await import("./login.ts")).loginMcp,
    }),
    command("logout", "forget the login at a server", {
      takes: { name: argument("<name>") },
      load: async () => (await import("./login.ts")).logoutMcp,
    }),
    command("add", "add a server: a program that speaks on stdin and stdout, or an address", {
      takes: {
        name: argument("<name>", "what it is called from now on"),
        target: argument("[command...]", "behind `--`: the program and its arguments; or an http address"),
        url: option("<address>", "where it is, over HTTP", { read: notEmpty }),
        transport: option("<kind>", "how it is reached; by default http with an address, else stdio", {
          choices: ["stdio", "http", "sse"],
        }),
        env: option(
          "<name=value>",
          "a variable that it gets; a name alone is read when it starts; may be given several times",
          {
            read: several,
          },
        ),
        header: option("<name: value>", "a header of requests to an address; may be given several times", {
          read: several,
        }),
      },
      help: "${NAME} in a value stands for a variable of .env or the environment.",
      load: async () => (await import("./change-servers.ts")).addMcp,
    }),
    command("remove", "remove a server from the configuration", {
      takes: { name: argument("<name>") },
      load: async () => (await import("./change-servers.ts")).removeMcp,
    }),
  ],
);
