import type { SignIns as Listed } from "../contract/answers.ts";
import type { CallOptions } from "./request.ts";
import type { ChatSession } from "./session.ts";

export type SignIn = Listed["signIns"][number];

export type SignIns = {
  /** The account's open sign-ins, one's own first. @throws ChatError */
  list(given?: CallOptions): Promise<SignIn[]>;
  /** Ends one for good, with its token and its websockets. @throws ChatError `not_found` for one that is over */
  end(id: string, given?: CallOptions): Promise<void>;
  /** Ends all but one's own for good. @throws ChatError */
  endOthers(given?: CallOptions): Promise<void>;
};

/** The sign-ins of the account that a session is of. */
export function createSignIns({ call }: Pick<ChatSession, "call">): SignIns {
  return {
    list: async (given) => (await call<Listed>("/sign-ins", given)).signIns,
    async end(id, given) {
      await call(`/sign-ins/${encodeURIComponent(id)}`, { ...given, method: "DELETE" });
    },
    async endOthers(given) {
      await call("/sign-ins", { ...given, method: "DELETE" });
    },
  };
}
