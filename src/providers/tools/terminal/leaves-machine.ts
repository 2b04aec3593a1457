/** Programs that talk to other machines, and with what words where they do not always. */
const PROGRAMS: readonly RegExp[] = [
  /\bgit\b[^|;&\n]*\s(push|send-email|request-pull)\b/,
  /\b(gh|glab|hub)\b[^|;&\n]*\s(create|edit|close|comment|merge|delete|upload|review|reopen|run|api|sync|transfer|set)\b/,
  /\b(npm|pnpm|yarn|bun|cargo|poetry|gem|dotnet|helm|vsce)\b[^|;&\n]*\s(publish|unpublish|deprecate|yank|push)\b/,
  /\btwine\s+upload\b/,
  /\b(docker|podman|buildah|skopeo)\b[^|;&\n]*\s(push|copy|login)\b/,
  /\b(ssh|scp|sftp|rsync|ftp|lftp|mosh|telnet|nc|ncat|netcat|socat|curl|wget|http|https|xh)\s/,
  /\b(mail|mailx|sendmail|mutt|msmtp|swaks)\b/,
  /\b(kubectl|oc)\b[^|;&\n]*\s(apply|create|delete|patch|replace|scale|rollout|exec|edit|annotate|label|drain|cordon)\b/,
  /\b(terraform|tofu|pulumi)\b[^|;&\n]*\s(apply|destroy|import|up|refresh)\b/,
  /\b(aws|az|gcloud|gsutil|doctl|flyctl|fly|heroku|vercel|netlify|wrangler|rclone|s3cmd|mc)\s/,
  /\b(psql|mysql|mongosh|redis-cli|sqlcmd)\b/,
];

/**
 * Whether a command line names a program that reaches other machines. It is a reminder for people, not a wall: a program of
 * another name does what it likes.
 */
export const leavesMachine = (command: string): boolean => PROGRAMS.some((program) => program.test(command));
