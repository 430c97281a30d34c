import type { SignIn } from "./answers.ts";
import type { CallOptions } from "./request.ts";
import type { ChatSession } from "./session.ts";

export type SignIns = {
  /** Lists the account's open sign-ins, this client's first. @throws ChatError */
  list(given?: CallOptions): Promise<SignIn[]>;
  /**
   * Ends a sign-in for good, with its token and its websockets. @throws ChatError `not_found` if it has
   * already ended
   */
  end(id: string, given?: CallOptions): Promise<void>;
  /** Ends all sign-ins except this client's for good. */
  endOthers(given?: CallOptions): Promise<void>;
};

/** Creates the calls about the sign-ins of a chat session's account. */
export function createSignIns({ call }: Pick<ChatSession, "call">): SignIns {
  return {
    list: async (given) => (await call<{ signIns: SignIn[] }>("/sign-ins", given)).signIns,
    async end(id, given) {
      await call(`/sign-ins/${encodeURIComponent(id)}`, { ...given, method: "DELETE" });
    },
    async endOthers(given) {
      await call("/sign-ins", { ...given, method: "DELETE" });
    },
  };
}
