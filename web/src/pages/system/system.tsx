import { Page } from "../../layout/page.tsx";
import { Account } from "./account.tsx";
import { Audit } from "./audit.tsx";
import { Backups } from "./backups.tsx";
import { DiskUsage } from "./disk-usage.tsx";
import { Health } from "./health.tsx";
import { Installation } from "./installation.tsx";
import { Logs } from "./logs.tsx";
import { Machines } from "./machines.tsx";
import { Update } from "./update.tsx";
import { SignedIn } from "./signed-in.tsx";

/** The program itself: whether it is well, what it needs, who signs in, and who did what. */
export function System() {
  return (
    <Page title="System" about="The program itself: whether it is well, what it keeps, and who may come in.">
      <Installation />
      <Update />
      <Health />
      <Machines />
      <DiskUsage />
      <Backups />
      <Logs />
      <Account />
      <SignedIn />
      <Audit />
    </Page>
  );
}
