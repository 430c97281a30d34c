import { startMattermost } from "../../sandbox/mattermost/start.ts";

/** The child of `startMattermostProcess`: a Mattermost that can be killed. */
const [dataDir = "", port = "0"] = process.argv.slice(2);
const { url, adminToken, teamId } = await startMattermost({ port: Number(port), dataDir });
process.send?.({ url, adminToken, teamId });
