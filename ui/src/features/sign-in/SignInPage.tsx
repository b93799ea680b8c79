import { Page } from '@/components/page';

export default function SignInPage() {
  return <Page title="SignInPage">…</Page>;
}
