class Toolscope < Formula
  desc "Shows and governs the tool calls of AI agents"
  homepage "https://github.com/toolscope/toolscope"
  version "@NUMBER@"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "https://github.com/toolscope/toolscope/releases/download/@VERSION@/@FILE darwin_arm64@"
      sha256 "@SUM darwin_arm64@"
    end
    on_intel do
      url "https://github.com/toolscope/toolscope/releases/download/@VERSION@/@FILE darwin_amd64@"
      sha256 "@SUM darwin_amd64@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/toolscope/toolscope/releases/download/@VERSION@/@FILE linux_arm64@"
      sha256 "@SUM linux_arm64@"
    end
    on_intel do
      url "https://github.com/toolscope/toolscope/releases/download/@VERSION@/@FILE linux_amd64@"
      sha256 "@SUM linux_amd64@"
    end
  end

  def install
    bin.install "toolscope"
    generate_completions_from_executable(bin/"toolscope", "completion")
  end

  test do
    assert_match "toolscope @VERSION@", shell_output("#{bin}/toolscope version")
  end
end
