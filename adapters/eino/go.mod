module github.com/toolscope/toolscope/adapters/eino

go 1.26.0

require (
	github.com/bytedance/sonic v1.15.5
	github.com/cloudwego/eino v0.7.36
	github.com/toolscope/toolscope v0.1.0
)
