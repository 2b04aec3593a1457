import type { MessageEdit } from "../port/outgoing.ts";
import type { MattermostApi } from "./api.ts";
import { pathOf } from "../port/request-path.ts";
import { buttonProps, type ButtonAddress } from "./buttons.ts";

/** Changes a message: https://developers.mattermost.com/api-documentation/#/operations/PatchPost */
export async function patchPost(
  api: MattermostApi,
  { edit, address }: { readonly edit: MessageEdit; readonly address: ButtonAddress | undefined },
  signal: AbortSignal,
): Promise<void> {
  const { messageId, text, buttons = [] } = edit;
  const body = {
    message: text,
    ...(address === undefined ? {} : { props: buttonProps(buttons, address) }),
  };
  await api.call(pathOf("posts", messageId, "patch"), { method: "PUT", body, signal });
}
