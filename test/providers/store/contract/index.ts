import { describe } from "vitest";
import { blobContract } from "./blobs.ts";
import { commandContract } from "./commands.ts";
import { watchContract } from "./watching.ts";
import type { OpenHome } from "./home.ts";
import { leaseContract } from "./leases.ts";
import { feedContract } from "./feed.ts";
import { listContract } from "./lists.ts";
import { pageContract } from "./pages.ts";
import { pieceContract } from "./pieces.ts";
import { recordContract } from "./records.ts";
import { searchContract } from "./search.ts";
import { sessionContract } from "./sessions.ts";
import { usageContract } from "./usage.ts";

/** The tests that every store must pass, on every backend. */
export function storeContract(openHome: OpenHome): void {
  describe("sessions", () => {
    sessionContract(openHome);
  });
  describe("pages", () => {
    pageContract(openHome);
  });
  describe("the feed", () => {
    feedContract(openHome);
  });
  describe("lists", () => {
    listContract(openHome);
  });
  describe("search", () => {
    searchContract(openHome);
  });
  describe("usage", () => {
    usageContract(openHome);
  });
  describe("leases", () => {
    leaseContract(openHome);
  });
  describe("streamed text", () => {
    pieceContract(openHome);
  });
  describe("watching", () => {
    watchContract(openHome);
  });
  describe("commands", () => {
    commandContract(openHome);
  });
  describe("blobs", () => {
    blobContract(openHome);
  });
  describe("records", () => {
    recordContract(openHome);
  });
}
