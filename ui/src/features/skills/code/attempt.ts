/** Code that is not saved yet, made into something that can be executed at once. */
import type { Schemas } from '@/api/client';
import type { Parameter, Values } from './parameters';

type Asked = Schemas['ExecuteCodeRequest'];
export type Procedure = {
  language: string;
  function?: string | null;
  parameters: Parameter[];
  profile?: string | null;
};

/** The request that calls the procedure as a run would. Lines keep their numbers: the call comes last. */
export function attemptOf(procedure: Procedure, code: string, values: Values): Asked {
  const whole = { ...defaultsOf(procedure.parameters), ...values };
  const asked = { language: procedure.language, profile: procedure.profile ?? null };
  const given = (parameters: Values) => parameters as Asked['parameters'];
  if (!procedure.function) return { ...asked, code, parameters: given(whole) };
  if (procedure.language === 'javascript') {
    const names = procedure.parameters.map(({ name }) => `__given.${name}`).join(', ');
    return {
      ...asked,
      code: `${code}\n;${procedure.function}(${names})`,
      parameters: given({ __given: whole }),
    };
  }
  // A run imports the code; what it does only as a script of its own is not done here either.
  const parameters = given({ __given: whole, __name__: 'program' });
  return { ...asked, code: `${code}\n\n${procedure.function}(**__given)\n`, parameters };
}

function defaultsOf(parameters: Parameter[]): Values {
  const declared = parameters.filter((parameter) => parameter.default !== undefined);
  return Object.fromEntries(declared.map((parameter) => [parameter.name, parameter.default]));
}
