import { describeDevice } from "#lib/chat/session/device.ts";
import { endOtherSignIns, listSignIns } from "#lib/chat/session/sign-ins.ts";
import type { SignIns } from "#lib/contract/answers.ts";
import { route } from "#lib/services/services.ts";

export const GET = route({ auth: "pat" }, async ({ services, pat, signal }) => {
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
  } satisfies SignIns;
});

export const DELETE = route({ auth: "pat" }, async ({ services, pat, signal }) => {
  await endOtherSignIns(services.chat, pat, signal);
  return { ok: true };
});
