import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../kit/free-port.ts";

/** Why there is no real IMAP server to test with; `undefined` when there is one. */
export const dovecotMissing: string | undefined =
  spawnSync("dovecot", ["--version"]).status !== 0
    ? "there is no dovecot (dovecot-imapd of Debian)"
    : process.getuid?.() === 0
      ? undefined
      : "dovecot needs root";

const NOBODY = 65_534;

/** A real IMAP server with one account, user `agent`, password `secret`, whose certificate is its own. */
export class Dovecot implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "dovecot-"));
  readonly port: number;
  readonly #end: Promise<unknown>;
  readonly #child;
  #mails = 0;

  private constructor(port: number) {
    this.port = port;
    chmodSync(this.folder, 0o755);
    for (const name of ["cur", "new", "tmp"]) mkdirSync(join(this.folder, "mail", name), { recursive: true });
    execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, join(this.folder, "mail")]);
    const key = join(this.folder, "key.pem");
    const certificate = join(this.folder, "cert.pem");
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    execFileSync(
      "openssl",
      [
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-keyout",
        key,
        "-out",
        certificate,
        ...subject,
      ],
      { stdio: "ignore" },
    );
    const config = join(this.folder, "dovecot.conf");
    writeFileSync(config, configOf(this.folder, port));
    this.#child = spawn("dovecot", ["-F", "-c", config], { stdio: "ignore" });
    this.#end = new Promise((resolve) => this.#child.once("exit", resolve));
  }

  static async start(): Promise<Dovecot> {
    return new Dovecot(await freePort());
  }

  /** Mails that nobody has marked as read. */
  get unseen(): number {
    const isSeen = (name: string): boolean => name.split(":2,")[1]?.includes("S") === true;
    const names = ["new", "cur"].flatMap((each) => readdirSync(join(this.folder, "mail", each)));
    return names.filter((name) => !isSeen(name)).length;
  }

  get certificate(): string {
    return join(this.folder, "cert.pem");
  }

  /** A mail comes in, as a delivery program puts it there. */
  deliver(mail: string | Uint8Array): void {
    const name = `${(this.#mails += 1)}.M${process.pid}.test`;
    const path = join(this.folder, "mail", "tmp", name);
    writeFileSync(path, typeof mail === "string" ? mail.replaceAll(/\r?\n/g, "\r\n") : mail);
    chownSync(path, NOBODY, NOBODY);
    renameSync(path, join(this.folder, "mail", "new", name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#end;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const configOf = (folder: string, port: number): string => `
protocols = imap
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
listen = 127.0.0.1
ssl = yes
ssl_cert = <${folder}/cert.pem
ssl_key = <${folder}/key.pem
disable_plaintext_auth = no
mail_location = maildir:${folder}/mail
first_valid_uid = 1
passdb {
  driver = static
  args = password=secret
}
userdb {
  driver = static
  args = uid=${NOBODY} gid=${NOBODY} home=${folder}/mail
}
service imap-login {
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
`;
