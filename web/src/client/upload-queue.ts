import type { z } from "zod";
import type { KbSeen } from "../../../src/dashboard/api/kb-wire.ts";
import { RequestRefused } from "./dashboard-api.ts";

/** The state of a file on its way: it waits, is sent, is read there, or is over. */
export type UploadState = "waiting" | "sending" | "reading" | "read" | "unchanged" | "failed" | "cancelled";

/** A file on its way to the knowledge base. */
export interface Upload {
  readonly key: number;
  readonly name: string;
  readonly collection: string;
  readonly bytes: number;
  readonly sent: number;
  readonly state: UploadState;
  /** Why it failed. */
  readonly problem?: string;
  /** The document that it has become. */
  readonly document?: string;
}

type Seen = z.output<typeof KbSeen>;

/** Where files go. */
interface UploadWish {
  readonly collection: string;
  /** Bytes of the largest one that is taken. */
  readonly mostBytes: number;
  /** Told of each file that is over. */
  readonly onRead: () => void;
}

const AT_ONCE = 3;

/** Files that are sent a few at a time, whichever page is shown meanwhile. */
class UploadQueue {
  #uploads: readonly Upload[] = [];
  readonly #files = new Map<number, File>();
  readonly #requests = new Map<number, XMLHttpRequest>();
  readonly #listeners = new Set<() => void>();
  #key = 0;
  #onRead: () => void = () => undefined;

  /** As they are; another list after each change. */
  readonly list = (): readonly Upload[] => this.#uploads;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  add(files: readonly File[], { collection, mostBytes, onRead }: UploadWish): void {
    this.#onRead = onRead;
    for (const file of files) {
      this.#key += 1;
      this.#files.set(this.#key, file);
      const upload = { key: this.#key, name: file.name, collection, bytes: file.size, sent: 0 };
      this.#uploads = [...this.#uploads, { ...upload, state: "waiting" }];
      if (file.size > mostBytes)
        this.#end(this.#key, { state: "failed", problem: "It is larger than what is read of one document." });
    }
    this.#next();
  }

  /** Stops a file, wherever it is. */
  cancel(key: number): void {
    this.#requests.get(key)?.abort();
    this.#end(key, { state: "cancelled" });
  }

  /** Forgets those that are over. */
  clear(): void {
    this.#uploads = this.#uploads.filter(({ key }) => this.#files.has(key));
    this.#tell();
  }

  #next(): void {
    for (const { key, state } of this.#uploads)
      if (state === "waiting" && this.#requests.size < AT_ONCE) this.#send(key);
    this.#tell();
  }

  #send(key: number): void {
    const file = this.#files.get(key);
    const upload = this.#uploads.find((each) => each.key === key);
    if (file === undefined || upload === undefined) return;
    const request = new XMLHttpRequest();
    this.#requests.set(key, request);
    const query = new URLSearchParams({ name: file.name, collection: upload.collection });
    request.open("POST", `/dashboard/api/kb/uploads?${query.toString()}`);
    request.setRequestHeader("content-type", "application/octet-stream");
    request.responseType = "json";
    request.upload.addEventListener("progress", ({ loaded }) => this.#set(key, { sent: loaded }));
    request.upload.addEventListener("load", () => this.#set(key, { state: "reading", sent: file.size }));
    request.addEventListener("error", () =>
      this.#end(key, {
        state: "failed",
        problem: "The dashboard does not answer, or took the file no further.",
      }),
    );
    request.addEventListener("load", () => this.#end(key, outcomeOf(request)));
    this.#set(key, { state: "sending" });
    request.send(file);
  }

  #end(key: number, change: Partial<Upload>): void {
    if (!this.#files.delete(key)) return;
    this.#requests.delete(key);
    this.#set(key, change);
    this.#onRead();
    this.#next();
  }

  #set(key: number, change: Partial<Upload>): void {
    this.#uploads = this.#uploads.map((each) => (each.key === key ? { ...each, ...change } : each));
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function outcomeOf(request: XMLHttpRequest): Partial<Upload> {
  if (request.status !== 200)
    return { state: "failed", problem: new RequestRefused(request.status, request.response).message };
  // The route answers with this.
  const { outcome, problem, id } = request.response as Seen;
  const state = outcome === "read" || outcome === "unchanged" ? outcome : "failed";
  const why = problem ?? (outcome === "gone" ? "Somebody removed it meanwhile." : undefined);
  return { state, document: id, ...(why === undefined ? {} : { problem: why }) };
}

/** The files of this window. */
export const uploads = new UploadQueue();
