/** The settings of a repository that start no program and lead to no other file. All others are taken out. */
const HARMLESS: readonly RegExp[] = [
  /^core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|autocrlf|eol|safecrlf|symlinks|abbrev|quotepath|sharedrepository|protecthfs|protectntfs|longpaths|compression|looseCompression|bigfilethreshold|preloadindex|untrackedcache|splitindex|commitgraph|multipackindex|checkstat|trustctime|whitespace|sparsecheckout|sparsecheckoutcone)$/i,
  /^remote\..*\.(url|pushurl|fetch|push|mirror|tagopt|prune|prunetags|promisor|partialclonefilter|skipdefaultupdate|skipfetchall)$/i,
  /^branch\.(.*\.(remote|merge|rebase|pushremote|description)|autosetupmerge|autosetuprebase|sort)$/i,
  /^user\.(name|email|useconfigonly)$/i,
  /^(author|committer)\.(name|email)$/i,
  /^submodule\.(.*\.(url|active|branch|ignore|fetchrecursesubmodules|shallow)|active|recurse)$/i,
  /^extensions\.(objectformat|refstorage|partialclone|noop|preciousobjects|compatobjectformat)$/i,
  /^(init\.defaultbranch|pull\.(rebase|ff)|push\.(default|autosetupremote|followtags)|fetch\.(prune|prunetags)|merge\.(ff|conflictstyle|renames)|rebase\.(autostash|autosquash)|rerere\.(enabled|autoupdate)|gc\.auto|color\..*|advice\..*|feature\..*|index\.version|pack\..*|lfs\.repositoryformatversion|lfs\..*\.access|gitflow\..*)$/i,
];
/** Addresses by which git starts a program: `ext::…` and other helpers. */
const HELPER = /^["\s]*[\w+.-]*::/;

const SECTION = /^\s*\[\s*([A-Za-z\d.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*$/;
const SETTING = /^\s*([A-Za-z][A-Za-z\d-]*)\s*(?:=\s*(.*))?$/;
const BLANK = /^\s*(?:[#;].*)?$/;

/** Settings of a repository without those that make git run something. */
export interface HarmlessSettings {
  readonly text: string;
  /** The names of those that were taken out, as `section.name`. */
  readonly taken: readonly string[];
}

/** Takes out of a `config` of git what starts programs, and every line that is not surely understood. */
export function harmlessSettings(config: string): HarmlessSettings {
  const kept: string[] = [];
  const taken: string[] = [];
  let section: string | undefined;
  let continues = false;
  for (const line of config.split(/\r?\n/)) {
    const goesOn = line.endsWith("\\");
    const isRest = continues;
    continues = goesOn;
    if (isRest) continue;
    if (BLANK.test(line) && !goesOn) {
      kept.push(line);
      continue;
    }
    const [header, name, sub] = SECTION.exec(line) ?? [];
    if (header !== undefined && name !== undefined) {
      section = sub === undefined ? name : `${name}.${sub}`;
      kept.push(line);
      continue;
    }
    const [, key = "", value = ""] = SETTING.exec(line) ?? [];
    const full = `${section ?? ""}.${key}`;
    const isHarmless =
      section !== undefined && key !== "" && !goesOn && HARMLESS.some((each) => each.test(full));
    if (isHarmless && !(/\.(push)?url$/i.test(full) && HELPER.test(value))) kept.push(line);
    else taken.push(key === "" ? line.trim().slice(0, 60) : full);
  }
  return { text: kept.join("\n"), taken };
}
