import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** The folder of the project. */
export const ROOT = join(import.meta.dirname, "../..");

/** One exported declaration of a source file. */
export interface Declaration {
  readonly file: string;
  readonly name: string;
  /** An interface, a type alias or a class. */
  readonly isType: boolean;
  /** The first sentence of its doc comment and all that follows; empty without one. */
  readonly comment: string;
}

/** The names of all source files, relative to the project, without the breaches that a test plants among them. */
export const sourceFiles = (): readonly string[] =>
  globSync("src/**/*.{ts,tsx}", { cwd: ROOT }).filter((file) => !/\.d\.ts$|\/canary-\d+\.ts$/.test(file));

/** Reads the exported declarations of a file. */
export function declarationsIn(file: string): readonly Declaration[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(ROOT, file), "utf8"),
    ts.ScriptTarget.Latest,
    true,
  );
  return source.statements.flatMap((statement): readonly Declaration[] => {
    if (!isExported(statement)) return [];
    const comment = commentOf(statement);
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map(({ name }) => ({
        file,
        name: name.getText(),
        isType: false,
        comment,
      }));
    const isType =
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement) ||
      ts.isClassDeclaration(statement);
    const named = isType || ts.isFunctionDeclaration(statement) ? statement.name : undefined;
    return named === undefined ? [] : [{ file, name: named.text, isType, comment }];
  });
}

const isExported = (statement: ts.Statement): boolean =>
  ts.canHaveModifiers(statement) &&
  (ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false);

function commentOf(statement: ts.Statement): string {
  const doc = ts.getJSDocCommentsAndTags(statement).find(ts.isJSDoc);
  return (ts.getTextOfJSDocComment(doc?.comment) ?? "").trim();
}
