import { promptText } from "../../../src/core/index.ts";
import { say, type ScriptedModel, scriptedModelWith } from "../../kit/scripted-model.ts";

/** The answer that the model gives to a message: a word that no other answer has. */
export const answerTo = (text: string): string => `answer-${text.replace(/^\[[^\]]*\]: /, "")}`;

/** A model that answers each message with its own words. */
export const echoModel = (): ScriptedModel =>
  scriptedModelWith({
    otherwise: ({ messages }) => {
      const last = messages.at(-1);
      return [say(`Here is ${answerTo(last?.role === "user" ? promptText(last.parts) : "")} for you.`)];
    },
  });
