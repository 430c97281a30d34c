import { describeDevice } from "#lib/chat/caller/device.ts";
import { endOtherSignIns, listSignIns } from "#lib/chat/caller/sign-ins.ts";
import { done } from "#lib/contract/answers.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/sign-ins", {
  GET: async ({ services, pat, signal }) => {
    const signIns = await listSignIns(services.chat, pat, signal);
    return {
      signIns: signIns.map(({ tokenId, app, userAgent, openedAtMs, seenAtMs, isCurrent }) => ({
        id: tokenId,
        ...describeDevice(userAgent),
        app,
        openedAt: new Date(openedAtMs).toISOString(),
        seenAt: new Date(seenAtMs).toISOString(),
        isCurrent,
      })),
    };
  },
  DELETE: async ({ services, pat, signal }) => {
    await endOtherSignIns(services.chat, pat, signal);
    return done;
  },
});
