import { Link } from "@tanstack/react-router";
import { Empty } from "../design/panel.tsx";
import { Page } from "./page.tsx";

/** An address that no page has. */
export function NotFound() {
  return (
    <Page title="Not found">
      <Empty title="There is no page at this address.">
        <p>
          <Link to="/">Go to the first page</Link>
        </p>
      </Empty>
    </Page>
  );
}
