import {
  approvalText,
  readAnswer,
  readRequest,
  writeAnswer,
  writeRequest,
} from "../../lib/approvals/approval-text.ts";
import { signText } from "../../lib/hive/private-key.ts";
import { accounts } from "./accounts.ts";
import type { SimulatedChat } from "./simulated-chat.ts";
import type { Stage } from "./simulated-process.ts";

const ODDS = {
  ...{ "signs for the owner": 0.12, "declines for the owner": 0.08 },
  ...{ "writes junk": 0.08, "asks in the agent's name": 0.05 },
};

/** Starts a member of the channel who wants the agent to pay, or not to pay, against its owner's will. */
export function startStranger(stage: Stage, chat: SimulatedChat, agent: string): void {
  const stream = stage.chance.stream("stranger");
  const { scheduler, note } = stage;
  const { name, wif } = accounts.mallory;
  const owner = accounts.dave.name;
  /** The operator of a chat can write in anyone's name. */
  const write = (afterMs: number, message: string, rootId: string, by = stream.pick([name, owner])) =>
    scheduler.after(afterMs, () => void chat.write(by, message, rootId));

  chat.listen(({ id, userId, rootId, message }, isNew) => {
    if (!isNew || userId === name) return;
    const thread = rootId || id;
    const request = userId === agent ? readRequest(message) : null;
    if (request) {
      const { text, terms } = request;
      const deed = stream.deviate<keyof typeof ODDS>(ODDS);
      const junk = Array.from({ length: 130 }, () => stream.pick([..."0123456789abcdef"])).join("");
      if (!deed) return;
      note(`the stranger ${deed.kind}`);
      const messages: Record<keyof typeof ODDS, string> = {
        "signs for the owner": writeAnswer("I approve.", { signature: signText(text, wif) ?? "" }),
        "declines for the owner": writeAnswer("No.", { refuses: terms.id }),
        "writes junk": junk,
        "asks in the agent's name": writeRequest(approvalText({ ...terms, payTo: name }), "waiting"),
      };
      const isSigned = deed.kind === "signs for the owner" || deed.kind === "writes junk";
      return write(deed.size * 20_000, messages[deed.kind], thread, isSigned ? undefined : name);
    }
    const answer = readAnswer(message);
    const deed = answer ? stream.deviate({ "copies an answer": 0.25 }) : null;
    if (!deed) return;
    note(`the stranger ${deed.kind}`);
    const threads = [...new Set(chat.posts.map((post) => post.rootId || post.id))];
    write(deed.size * 30_000, message, stream.pick(threads));
  });
}
