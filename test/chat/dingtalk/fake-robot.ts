import type { ChatHistory, SeenMessage } from "../kit/chat-history.ts";
import { formParts } from "../kit/form-parts.ts";

/** An answer of the API: its status and its body. */
export type DingtalkAnswer = readonly [status: number, body: object];

interface DingtalkRequest {
  readonly method: string;
  readonly url: URL;
  readonly type: string;
  readonly body: Buffer;
}

interface RobotState {
  readonly url: string;
  readonly history: ChatHistory;
  readonly files: Map<string, Uint8Array>;
  readonly requests: { readonly path: string; readonly body: unknown }[];
  readonly refusal: DingtalkAnswer | undefined;
}

const refused = (code: string, message: string): DingtalkAnswer => [400, { code, message, requestid: "r" }];

/** Carries out a request of the robot. */
export function carryOut(state: RobotState, request: DingtalkRequest, newId: () => number): DingtalkAnswer {
  const { method, url, type, body } = request;
  const { pathname: path } = url;
  if (path === "/media/upload") {
    if (!type.startsWith("multipart/form-data") || !body.includes('name="media"'))
      return [200, { errcode: 40_035, errmsg: "不合法的参数" }];
    const id = `@media${newId()}`;
    state.files.set(id, formParts(type, body).get("media")?.bytes ?? body);
    return [200, { errcode: 0, errmsg: "ok", type: url.searchParams.get("type"), media_id: id }];
  }
  const given = JSON.parse(String(body)) as Record<string, unknown>;
  state.requests.push({ path, body: given });
  if (path === "/v1.0/robot/messageFiles/download")
    return [200, { downloadUrl: `${state.url}/oss/${String(given["downloadCode"])}` }];
  if (path === "/robot/sendBySession") return replied(state, url, { given, newId });
  if (state.refusal !== undefined) return state.refusal;
  if (path === "/v1.0/card/instances/createAndDeliver") return delivered(state, given);
  if (path === "/v1.0/card/instances" && method === "PUT") return updated(state, given);
  return sent(state, path, { given, newId });
}

interface Given {
  readonly given: Record<string, unknown>;
  readonly newId: () => number;
}

function replied({ history }: RobotState, url: URL, { given, newId }: Given): DingtalkAnswer {
  const { text } = given["markdown"] as { readonly text: string };
  const place = url.searchParams.get("session") ?? "";
  history.add({ id: `r${newId()}`, place, by: "bot", text: seen(text) });
  return [200, { errcode: 0, errmsg: "ok" }];
}

function sent({ history, files }: RobotState, path: string, { given, newId }: Given): DingtalkAnswer {
  const isGroup = path === "/v1.0/robot/groupMessages/send";
  if (!isGroup && path !== "/v1.0/robot/oToMessages/batchSend")
    return [404, { code: "InvalidAction.NotFound", message: path }];
  const { robotCode, msgKey, msgParam, openConversationId, userIds } = given;
  if (robotCode !== "dingfake") return refused("resource.not.found", "机器人不存在");
  const place = isGroup ? String(openConversationId) : String((userIds as unknown[])[0]);
  if (!isGroup && !place.startsWith("staff"))
    return [200, { processQueryKey: "", invalidStaffIdList: [place], flowControlledStaffIdList: [] }];
  if (Buffer.byteLength(String(msgParam)) > 15_000)
    return refused("param.msgParamInvalid", "msgParam too long");
  const shown = shownOf(String(msgKey), JSON.parse(String(msgParam)) as Record<string, string>, files);
  if (shown === undefined) return refused("param.msgParamInvalid", "msgParam无效");
  const id = `pqk${newId()}`;
  const { mediaId = "", fileName: name = "" } = JSON.parse(String(msgParam)) as Record<string, string>;
  const bytes = files.get(mediaId);
  if (bytes !== undefined) history.received.push({ name, bytes });
  history.add({ id, place, by: "bot", ...shown });
  return [200, { processQueryKey: id, invalidStaffIdList: [], flowControlledStaffIdList: [] }];
}

/** What people see, or nothing for what DingTalk refuses. */
function shownOf(
  key: string,
  { title = "", text = "", photoURL = "", mediaId = "", fileName = "" }: Record<string, string>,
  files: RobotState["files"],
): Pick<SeenMessage, "text" | "files"> | undefined {
  if (key === "sampleMarkdown" && title !== "" && text !== "") return { text: seen(text), files: [] };
  if (key === "sampleImageMsg" && files.has(photoURL)) return { text: "", files: ["image"] };
  if (key === "sampleFile" && files.has(mediaId)) return { text: "", files: [`file ${fileName}`] };
  return undefined;
}

const seen = (text: string): string => text.replaceAll("  \n", "\n");

function cardOf(given: Record<string, unknown>) {
  const { cardParamMap: map } = given["cardData"] as { readonly cardParamMap: Record<string, string> };
  const buttons = [1, 2, 3, 4, 5, 6].flatMap((index) => {
    const label = map[`label${index}`] ?? "";
    return label === "" ? [] : [{ label, value: map[`answer${index}`] ?? "" }];
  });
  return { text: seen(map["text"] ?? ""), buttons };
}

function delivered({ history }: RobotState, given: Record<string, unknown>): DingtalkAnswer {
  const { cardTemplateId, outTrackId, openSpaceId, callbackType } = given;
  const [, kind, place] = /^dtv1\.card\/\/(IM_GROUP|IM_ROBOT)\.(.+)$/.exec(String(openSpaceId)) ?? [];
  if (cardTemplateId !== "t-1.schema" || callbackType !== "STREAM" || place === undefined)
    return refused("param.cardTemplateIdEmpty", "card");
  const model = given[kind === "IM_GROUP" ? "imGroupOpenDeliverModel" : "imRobotOpenDeliverModel"];
  if (model === undefined) return refused("param.openDeliverModelInvalid", "deliver model");
  const id = String(outTrackId);
  if (history.find(place, id) !== undefined) return refused("param.outTrackIdRepeat", "outTrackId");
  history.add({ id, place, by: "bot", ...cardOf(given) });
  return [200, { success: true, result: { outTrackId: id, deliverResults: [] } }];
}

function updated({ history }: RobotState, given: Record<string, unknown>): DingtalkAnswer {
  const id = String(given["outTrackId"]);
  const card = history.messages.find((each) => each.id === id && each.by === "bot");
  if (card === undefined) return refused("param.cardNotExist", "卡片不存在");
  history.edit(card.place, id, cardOf(given));
  return [200, { success: true, result: true }];
}
