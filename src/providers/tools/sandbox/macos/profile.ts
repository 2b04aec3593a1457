/** The places that a profile of macOS is made of; all absolute real paths. */
export interface ProfilePlaces {
  readonly roots: readonly string[];
  /** The session's own folders, which can be written. */
  readonly writable: readonly string[];
  readonly readable: readonly string[];
  /** In the workspace, but only to be read. */
  readonly kept: readonly string[];
  /** In the workspace, but not to be read. */
  readonly hidden: readonly string[];
  /** The port of the proxy on this machine. */
  readonly proxyPort: number;
}

const SYSTEM = [
  "/usr",
  "/bin",
  "/sbin",
  "/System",
  "/Library/Frameworks",
  "/Library/Developer",
  "/Library/Apple",
  "/Applications/Xcode.app",
  "/private/etc/ssl",
  "/private/var/db/timezone",
  "/private/var/select",
  "/dev",
  "/opt/homebrew",
  "/private/var/db/dyld",
];
const FILES = [
  "/",
  "/private",
  "/private/etc",
  "/private/var",
  "/private/tmp",
  "/etc",
  "/tmp",
  "/var",
  "/private/etc/hosts",
  "/private/etc/passwd",
  "/private/etc/group",
  "/private/etc/localtime",
  "/private/etc/shells",
  "/private/etc/services",
];
/** Services of the system without which hardly a program starts; the keychain's and the pasteboard's are not among them. */
const SERVICES = [
  "com.apple.system.opendirectoryd.libinfo",
  "com.apple.system.logger",
  "com.apple.system.notification_center",
  "com.apple.trustd.agent",
  "com.apple.SystemConfiguration.configd",
  "com.apple.SystemConfiguration.DNSConfiguration",
];

/**
 * The profile with which `sandbox-exec` starts a program on macOS: everything is refused but what is listed, and later rules
 * win. It was written from the published profiles of other programs and is held by tests as text: it has not run here.
 */
export function seatbeltProfile(places: ProfilePlaces): string {
  const { roots, writable, readable, kept, hidden, proxyPort } = places;
  const lines = [
    "(version 1)",
    "(deny default)",
    "(allow process-exec process-fork)",
    "(allow process-info* (target same-sandbox))",
    "(allow signal (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow pseudo-tty)",
    '(allow file-ioctl (regex #"^/dev/(tty|ptmx)"))',
    "(allow file-read-metadata)",
    rule("allow", "file-read*", [...FILES.map(literal), ...SYSTEM.map(subpath)]),
    rule(
      "allow",
      "file-write*",
      ["/dev/null", "/dev/zero", "/dev/tty", "/dev/stdout", "/dev/stderr"].map(literal),
    ),
    rule(
      "allow",
      "mach-lookup",
      SERVICES.map((name) => `(global-name ${quoted(name)})`),
    ),
    rule("allow", "file-read*", [...roots, ...writable, ...readable].map(subpath)),
    rule("allow", "file-write*", [...roots, ...writable].map(subpath)),
    rule("deny", "file-write*", kept.map(subpath)),
    rule("deny", "file-read* file-write*", hidden.map(subpath)),
    "(deny file-write-setugid)",
    `(allow network-outbound (remote ip "localhost:${proxyPort}"))`,
  ];
  return `${lines.filter((line) => line !== "").join("\n")}\n`;
}

const rule = (verdict: string, operation: string, filters: readonly string[]): string =>
  filters.length === 0 ? "" : `(${verdict} ${operation} ${filters.join(" ")})`;
const literal = (path: string): string => `(literal ${quoted(path)})`;
const subpath = (path: string): string => `(subpath ${quoted(path)})`;
const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
