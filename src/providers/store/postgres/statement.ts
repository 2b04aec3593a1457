/** An SQL statement that is prepared once for each connection, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export const statement = (name: string, text: string): Statement => ({ name: `agent_${name}`, text });
